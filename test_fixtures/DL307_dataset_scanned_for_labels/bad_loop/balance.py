def balanced_weights(dataset, classes):
    counts = [0] * classes
    labels = []
    for _, label in dataset:  # expect: DL307
        counts[label] += 1
        labels.append(label)
    return [1.0 / counts[label] for label in labels]
