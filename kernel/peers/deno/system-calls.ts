/** Runs calls of Node and converts their errors to those of Deno. */

import * as errors from './errors.ts';

const BY_CODE: Readonly<Record<string, new (message: string, options: ErrorOptions) => Error>> = {
  ENOENT: errors.NotFound,
  EEXIST: errors.AlreadyExists,
  EACCES: errors.PermissionDenied,
  EPERM: errors.PermissionDenied,
  EROFS: errors.PermissionDenied,
  EISDIR: errors.IsADirectory,
  ENOTDIR: errors.NotADirectory,
  EBADF: errors.BadResource,
  EBUSY: errors.Busy,
  EINTR: errors.Interrupted,
  EINVAL: errors.InvalidData,
  EPIPE: errors.BrokenPipe,
  EADDRINUSE: errors.AddrInUse,
  ECONNREFUSED: errors.ConnectionRefused,
  ECONNRESET: errors.ConnectionReset,
  ETIMEDOUT: errors.TimedOut,
  ENOTSUP: errors.NotSupported
};

export function blocking<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    throw error instanceof Error ? converted(error) : error;
  }
}

export async function waiting<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof Error ? converted(error) : error;
  }
}

/** Returns Deno's error for one of Node, or the error itself. */
export function converted(error: Error): Error {
  const { code } = error as NodeJS.ErrnoException;
  const Kind = code === undefined ? undefined : BY_CODE[code];
  return Kind === undefined ? error : Object.assign(new Kind(error.message, {}), { code });
}
