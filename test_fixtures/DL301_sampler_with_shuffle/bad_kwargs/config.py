BATCH_SIZE = 8
SHUFFLE = True


def loader_options(train):
    options = dict(batch_size=BATCH_SIZE, num_workers=2)
    options["shuffle"] = SHUFFLE
    if train:
        options["drop_last"] = True
    return options
