"""The part of RMM's interface that memory resources use, after its documentation."""

from rmm import mr


class DeviceBuffer:
    """Memory from the resource of device 0, allocated in the order of a stream."""

    def __init__(self, size=0, stream=None):
        self.size = size
        self._stream = stream or mr.Stream(0)
        self._resource = mr.get_per_device_resource(0)
        self.ptr = self._resource.allocate(size, self._stream)

    def __del__(self):
        if hasattr(self, "ptr"):
            self._resource.deallocate(self.ptr, self.size, self._stream)
