/** `Deno.errors`: the classes of errors of the operating system. */

/** Error of the operating system; the class tells what kind. */
abstract class SystemError extends Error {
  /** The code of the operating system, such as `ENOENT`. */
  code?: string;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A file, folder or program does not exist. */
export class NotFound extends SystemError {}
/** A file or folder exists already. */
export class AlreadyExists extends SystemError {}
/** The user may not do this. */
export class PermissionDenied extends SystemError {}
/** The path names a folder. */
export class IsADirectory extends SystemError {}
/** The path names no folder. */
export class NotADirectory extends SystemError {}
/** The file is closed, or cannot be used in this way. */
export class BadResource extends SystemError {}
/** The file or device is in use. */
export class Busy extends SystemError {}
/** The call was interrupted. */
export class Interrupted extends SystemError {}
/** A value or its format is not what was expected. */
export class InvalidData extends SystemError {}
/** Nobody reads the other end. */
export class BrokenPipe extends SystemError {}
/** The address is in use. */
export class AddrInUse extends SystemError {}
/** Nobody listens at the address. */
export class ConnectionRefused extends SystemError {}
/** The other side closed the connection. */
export class ConnectionReset extends SystemError {}
/** The operation took too long. */
export class TimedOut extends SystemError {}
/** The operation is not supported. */
export class NotSupported extends SystemError {}
