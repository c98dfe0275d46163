/** Python, in this process or in another. */

export { ARRAY_PROTOCOLS, type ArrayProtocol, type AsArrayOptions } from './interpreter/array-bridge.ts';
export type { PromiseOptions } from './interpreter/asynchronous.ts';
export type { PythonInstallation, PythonRefusal } from './interpreter/discover.ts';
export { PythonError, PythonLostError, PythonUnavailableError } from './interpreter/errors.ts';
export {
  type LibraryShare,
  type LibraryUsage,
  type MemoryLibrary,
  SharedMemoryManager
} from './memory/share.ts';
export { Keywords, type PyAny, type PyObject } from './interpreter/object.ts';
export type { PythonMode, PythonOptions, PythonStatus } from './home.ts';
export { python, type Python } from './python.ts';
