/** Python in this process. */

export { ARRAY_PROTOCOLS, type ArrayProtocol, type AsArrayOptions } from './array-bridge.ts';
export type { PromiseOptions } from './asynchronous.ts';
export type { PythonInstallation, PythonRefusal } from './discover.ts';
export { PythonError, PythonLostError, PythonUnavailableError } from './errors.ts';
export {
  type LibraryShare,
  type LibraryUsage,
  type MemoryLibrary,
  SharedMemoryManager
} from './memory/share.ts';
export { Keywords, type PyAny, type PyObject } from './object.ts';
export type { PythonMode, PythonOptions, PythonStatus } from './home.ts';
export { python, type Python } from './python.ts';
