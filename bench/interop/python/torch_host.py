from torch_any import Torch

library = Torch("cpu")
