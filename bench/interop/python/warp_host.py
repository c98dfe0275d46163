from warp_any import Warp

library = Warp("cpu")
