"""Reads frames from one long recording."""

import os
import time

import torch

FRAME = 16 * 1024


class FrameReader:
    def __init__(self, path):
        self.path = path
        self._stream = None
        self._stream_pid = None

    @property
    def stream(self):
        if self._stream_pid != os.getpid():
            self._stream = open(self.path, "rb")
            self._stream_pid = os.getpid()
        return self._stream

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_stream"] = None
        state["_stream_pid"] = None
        return state

    def frame(self, number):
        self.stream.seek(number * FRAME)
        time.sleep(0.001)  # stands for a disk that is not this fast
        frame = bytearray(FRAME)
        self.stream.readinto(frame)
        return torch.frombuffer(frame, dtype=torch.int32)
