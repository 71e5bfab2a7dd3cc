DATASETS = {}


def register(name):
    def keep(cls):
        DATASETS[name] = cls
        return cls

    return keep
