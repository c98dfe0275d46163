from mpi_any import Mpi

library = Mpi(cuda=False)
