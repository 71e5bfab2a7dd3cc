import os


def set_up(worker_id):
    os.environ["WORKER"] = str(worker_id)


def number():
    return int(os.environ.get("WORKER", -1))
