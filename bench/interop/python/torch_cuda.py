from torch_any import Torch

library = Torch("cuda:0")
