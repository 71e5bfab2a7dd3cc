class SamplerSeedHook:
    def before_epoch(self, runner):
        runner.data_loader.sampler.set_epoch(runner.epoch)
