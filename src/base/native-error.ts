/** What a failed driver call reports: the factory given to `setErrorFactory` turns it into the error that is thrown. */
export interface NativeErrorInfo {
  /**
   * `driver`: the driver returned a status. `lost`: one after which every later call fails, or a process that was forked. `unavailable`: a library could not be opened. `freed`: the object was released.
   * `bounds`: a byte range leaves its storage. `argument`: a value is of the wrong kind. `interrupted`: a wait was interrupted. `buffer`: memory that cannot be exchanged.
   * `collective`: NCCL returned a result.
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
  /** Name of the driver function, for `driver` and `lost`; of NCCL's for `collective`. */
  readonly call?: string;
  /** CUresult number and name, for `driver` and `lost`; ncclResult_t for `collective`. */
  readonly status?: number;
  readonly statusName?: string;
  /** File names that were tried, for `unavailable`. */
  readonly tried?: readonly string[];
}
