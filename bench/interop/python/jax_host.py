from jax_any import Jax

library = Jax("cpu")
