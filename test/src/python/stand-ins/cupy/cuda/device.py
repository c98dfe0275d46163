def get_device_id():
    return 0
