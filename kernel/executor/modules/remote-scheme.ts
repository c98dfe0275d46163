/** A scheme of specifiers, such as `npm:`, whose modules are fetched before the code that imports them runs. */

/** What Node resolves in place of a remote specifier: a package or a file, or a URL whose module the scheme has on disk. */
export type RemoteTarget = PlacedSpecifier | { readonly url: string };

export interface PlacedSpecifier {
  /** A package, a path or a file URL. */
  readonly specifier: string;
  /** URL of the file from whose place it is resolved. */
  readonly parent: string;
}

export interface RemoteScheme {
  /** Returns whether the scheme prepares this specifier. */
  takes(specifier: string): boolean;
  /**
   * Makes the modules importable, and returns the specifiers of other schemes that they import. Does nothing, quickly, for modules that are
   * importable already. Shows progress on stdout.
   * @throws RemoteImportError
   */
  prepare(specifiers: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the target of a specifier in the module with the URL `parent`; undefined if it is of another kind, or not prepared. */
  resolve(specifier: string, parent: string): RemoteTarget | undefined;
  /** Returns the file of a module that keeps its URL; undefined for other modules. */
  file?(url: string): string | undefined;
  /** Returns a line for each module that notebooks of the folder have imported: what it is, and where. */
  list(): readonly string[];
  /** Writes the scheme's part of the lockfile, which later imports obey. */
  lock(signal: AbortSignal): Promise<void>;
  /** Deletes the modules from the disk; those that run stay loaded. */
  clear(signal: AbortSignal): Promise<void>;
}

/** The error of a remote module that cannot be imported. */
export class RemoteImportError extends Error {
  override readonly name = 'ImportError';
  // Private, so that a traceback does not list them.
  readonly #specifier: string | undefined;
  #start: number | undefined;

  constructor(message: string, specifier?: string) {
    super(message);
    this.#specifier = specifier;
  }

  /** The specifier at fault, if it is known. */
  get specifier(): string | undefined {
    return this.#specifier;
  }

  /** Offset of the import in its cell, in UTF-16 units, if the cell did not run because of it. */
  get start(): number | undefined {
    return this.#start;
  }

  set start(offset: number | undefined) {
    this.#start = offset;
  }
}

/** Converts an error of the file system to a `RemoteImportError` that says what to do. Returns other errors unchanged. */
export function unwritableCache(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return error;
  return new RemoteImportError(
    `The cache of imports cannot be written (${message}): free its folder, or name another one in STRIDELAB_IMPORTS_DIR before the kernel starts`
  );
}
