/** The description of a failed native call; the factory given to `setErrorFactory` makes the error from it. */
export interface NativeErrorInfo {
  /**
   * `driver`, `collective`: the driver, or NCCL, returned a status. `lost`: the context is unusable, or the process was forked.
   * `unavailable`: a library could not be opened. `freed`: the object was used after its release. `bounds`: a byte range extends outside
   * its storage. `argument`: a value is of the wrong kind. `interrupted`: a wait was interrupted. `buffer`: memory that cannot be exchanged.
   */
  readonly kind:
    | 'driver'
    | 'lost'
    | 'unavailable'
    | 'freed'
    | 'bounds'
    | 'argument'
    | 'interrupted'
    | 'buffer'
    | 'collective';
  readonly message: string;
  /** Name of the driver function, for `driver` and `lost`; of the NCCL function, for `collective`. */
  readonly call?: string;
  /** CUresult number and name, for `driver` and `lost`; ncclResult_t for `collective`. */
  readonly status?: number;
  readonly statusName?: string;
  /** File names that were tried, for `unavailable`. */
  readonly tried?: readonly string[];
}
