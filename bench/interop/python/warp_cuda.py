from warp_any import Warp

library = Warp("cuda:0")
