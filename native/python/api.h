// The libpython functions that are used, looked up when the library is opened: no Python header, no linking.
// The declarations follow the Python/C API reference; all are in CPython 3.9 to 3.14.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace stridelab::python {

struct PyObject;
struct PyThreadState;
using Size = std::ptrdiff_t;

/** PyStatus, which is returned by value. */
struct Status {
  int type;
  const char* function;
  const char* message;
  int exit_code;
};

/** PyMethodDef. */
struct Method {
  const char* name;
  void* function;
  int flags;
  const char* doc;
};

inline constexpr int kFastCallWithKeywords = 0x0080 | 0x0002;

// Name, result, parameters.
#define STRIDELAB_PYTHON_FUNCTIONS(X)                                                                  \
  X(Py_IsInitialized, int, ())                                                                         \
  X(Py_GetVersion, const char*, ())                                                                    \
  X(Py_InitializeFromConfig, Status, (const void* config))                                             \
  X(PyConfig_InitPythonConfig, void, (void* config))                                                   \
  X(PyConfig_InitIsolatedConfig, void, (void* config))                                                 \
  X(PyConfig_SetBytesArgv, Status, (void* config, Size count, char* const* arguments))                 \
  X(PyConfig_Clear, void, (void* config))                                                              \
  X(PyStatus_Exception, int, (Status status))                                                          \
  X(PyGILState_Ensure, int, ())                                                                        \
  X(PyGILState_Release, void, (int state))                                                             \
  X(PyGILState_Check, int, ())                                                                         \
  X(PyEval_SaveThread, PyThreadState*, ())                                                             \
  X(PyEval_RestoreThread, void, (PyThreadState * state))                                               \
  X(Py_IncRef, void, (PyObject * object))                                                              \
  X(Py_DecRef, void, (PyObject * object))                                                              \
  X(PyImport_ImportModule, PyObject*, (const char* name))                                              \
  X(PyImport_GetModule, PyObject*, (PyObject * name))                                                  \
  X(PyImport_AddModule, PyObject*, (const char* name))                                                 \
  X(PyModule_GetDict, PyObject*, (PyObject * module))                                                  \
  X(Py_CompileString, PyObject*, (const char* source, const char* file, int start))                    \
  X(PyEval_GetGlobals, PyObject*, ())                                                                  \
  X(PyEval_EvalCode, PyObject*, (PyObject * code, PyObject * globals, PyObject * locals))              \
  X(PyErr_Occurred, PyObject*, ())                                                                     \
  X(PyErr_Clear, void, ())                                                                             \
  X(PyErr_Fetch, void, (PyObject * *type, PyObject * *value, PyObject * *traceback))                   \
  X(PyErr_NormalizeException, void, (PyObject * *type, PyObject * *value, PyObject * *traceback))      \
  X(PyErr_Restore, void, (PyObject * type, PyObject * value, PyObject * traceback))                    \
  X(PyErr_SetObject, void, (PyObject * type, PyObject * value))                                        \
  X(PyErr_SetString, void, (PyObject * type, const char* message))                                     \
  X(PyErr_ExceptionMatches, int, (PyObject * type))                                                    \
  X(PyErr_WriteUnraisable, void, (PyObject * object))                                                  \
  X(PyErr_SetInterrupt, void, ())                                                                      \
  X(PyErr_CheckSignals, int, ())                                                                       \
  X(PyThread_get_thread_ident, unsigned long, ())                                                      \
  X(PyThreadState_SetAsyncExc, int, (unsigned long thread, PyObject* exception))                       \
  X(PyException_SetTraceback, int, (PyObject * exception, PyObject * traceback))                       \
  X(PyObject_Type, PyObject*, (PyObject * object))                                                     \
  X(PyType_IsSubtype, int, (PyObject * type, PyObject * base))                                         \
  X(PyObject_GetAttr, PyObject*, (PyObject * object, PyObject * name))                                 \
  X(PyObject_SetAttr, int, (PyObject * object, PyObject * name, PyObject * value))                     \
  X(PyObject_GetItem, PyObject*, (PyObject * object, PyObject * key))                                  \
  X(PyObject_SetItem, int, (PyObject * object, PyObject * key, PyObject * value))                      \
  X(PyObject_DelItem, int, (PyObject * object, PyObject * key))                                        \
  X(PyObject_Call, PyObject*, (PyObject * callable, PyObject * arguments, PyObject * keywords))        \
  X(PyObject_GetIter, PyObject*, (PyObject * object))                                                  \
  X(PyIter_Next, PyObject*, (PyObject * iterator))                                                     \
  X(PyObject_IsTrue, int, (PyObject * object))                                                         \
  X(PyCallable_Check, int, (PyObject * object))                                                        \
  X(PyLong_FromLongLong, PyObject*, (long long value))                                                 \
  X(PyLong_AsLongLongAndOverflow, long long, (PyObject * value, int* overflow))                        \
  X(PyLong_FromString, PyObject*, (const char* text, char** end, int base))                            \
  X(PyNumber_ToBase, PyObject*, (PyObject * number, int base))                                         \
  X(PyFloat_FromDouble, PyObject*, (double value))                                                     \
  X(PyFloat_AsDouble, double, (PyObject * value))                                                      \
  X(PyBool_FromLong, PyObject*, (long value))                                                          \
  X(PyUnicode_DecodeUTF16, PyObject*, (const char* text, Size bytes, const char* errors, int* order))  \
  X(PyUnicode_DecodeUTF8, PyObject*, (const char* text, Size bytes, const char* errors))               \
  X(PyUnicode_AsUTF8AndSize, const char*, (PyObject * text, Size * bytes))                             \
  X(PyUnicode_AsEncodedString, PyObject*, (PyObject * text, const char* encoding, const char* errors)) \
  X(PyUnicode_InternFromString, PyObject*, (const char* text))                                         \
  X(PyUnicode_GetLength, Size, (PyObject * text))                                                      \
  X(PyBytes_FromStringAndSize, PyObject*, (const char* bytes, Size count))                             \
  X(PyBytes_AsStringAndSize, int, (PyObject * bytes, char** data, Size* count))                        \
  X(PyList_New, PyObject*, (Size count))                                                               \
  X(PyList_SetItem, int, (PyObject * list, Size index, PyObject * stolen))                             \
  X(PyList_Size, Size, (PyObject * list))                                                              \
  X(PyList_GetItem, PyObject*, (PyObject * list, Size index))                                          \
  X(PyTuple_New, PyObject*, (Size count))                                                              \
  X(PyTuple_SetItem, int, (PyObject * tuple, Size index, PyObject * stolen))                           \
  X(PyTuple_Size, Size, (PyObject * tuple))                                                            \
  X(PyTuple_GetItem, PyObject*, (PyObject * tuple, Size index))                                        \
  X(PyDict_New, PyObject*, ())                                                                         \
  X(PyDict_SetItem, int, (PyObject * dict, PyObject * key, PyObject * value))                          \
  X(PyDict_GetItemWithError, PyObject*, (PyObject * dict, PyObject * key))                             \
  X(PySet_New, PyObject*, (PyObject * iterable))                                                       \
  X(PySet_Add, int, (PyObject * set, PyObject * value))                                                \
  X(PySlice_New, PyObject*, (PyObject * start, PyObject * stop, PyObject * step))                      \
  X(PyCapsule_New, PyObject*, (void* pointer, const char* name, void (*destructor)(PyObject*)))        \
  X(PyCapsule_GetPointer, void*, (PyObject * capsule, const char* name))                               \
  X(PyCapsule_GetName, const char*, (PyObject * capsule))                                              \
  X(PyCapsule_SetName, int, (PyObject * capsule, const char* name))                                    \
  X(PyObject_GetBuffer, int, (PyObject * object, void* buffer, int flags))                             \
  X(PyBuffer_Release, void, (void* buffer))                                                            \
  X(PyNumber_Index, PyObject*, (PyObject * value))                                                     \
  X(PyObject_Str, PyObject*, (PyObject * object))                                                      \
  X(PyLong_AsUnsignedLongLong, unsigned long long, (PyObject * value))                                 \
  X(PyLong_FromUnsignedLongLong, PyObject*, (unsigned long long value))                                \
  X(PyList_AsTuple, PyObject*, (PyObject * list))                                                      \
  X(PyCFunction_NewEx, PyObject*, (Method * method, PyObject * self, PyObject * module))               \
  X(PyCFunction_GetSelf, PyObject*, (PyObject * function))                                             \
  X(PyType_FromSpec, PyObject*, (void* spec))                                                          \
  X(PyType_GenericAlloc, PyObject*, (PyObject * type, Size items))                                     \
  X(PyType_GetSlot, void*, (PyObject * type, int slot))                                                \
  X(PyObject_ClearWeakRefs, void, (PyObject * object))                                                 \
  X(PyObject_GetAttrString, PyObject*, (PyObject * object, const char* name))                          \
  X(PyObject_SetAttrString, int, (PyObject * object, const char* name, PyObject* value))               \
  X(PyDict_SetItemString, int, (PyObject * dict, const char* key, PyObject* value))                    \
  X(PyDict_GetItemString, PyObject*, (PyObject * dict, const char* key))                               \
  X(PyCapsule_IsValid, int, (PyObject * capsule, const char* name))                                    \
  X(PyErr_NewException, PyObject*, (const char* name, PyObject* base, PyObject* dict))

// Missing in some versions.
#define STRIDELAB_PYTHON_OPTIONAL_FUNCTIONS(X)                                                             \
  X(PyObject_Vectorcall, PyObject*,                                                                        \
    (PyObject * callable, PyObject* const* arguments, std::size_t count, PyObject* names))                 \
  X(PyObject_VectorcallMethod, PyObject*,                                                                  \
    (PyObject * name, PyObject* const* arguments, std::size_t count, PyObject* names))                     \
  X(PyInitConfig_Create, void*, ())                                                                        \
  X(PyInitConfig_Free, void, (void* config))                                                               \
  X(PyInitConfig_SetInt, int, (void* config, const char* name, std::int64_t value))                        \
  X(PyInitConfig_SetStrList, int, (void* config, const char* name, std::size_t count, char* const* items)) \
  X(PyInitConfig_GetError, int, (void* config, const char** message))                                      \
  X(Py_InitializeFromInitConfig, int, (void* config))

// Objects, at the address of the symbol.
#define STRIDELAB_PYTHON_OBJECTS(X) \
  X(_Py_NoneStruct)                 \
  X(PyBool_Type)                    \
  X(PyLong_Type)                    \
  X(PyFloat_Type)                   \
  X(PyUnicode_Type)                 \
  X(PyTuple_Type)                   \
  X(PyCFunction_Type)               \
  X(PyList_Type)                    \
  X(PyDict_Type)                    \
  X(PyCapsule_Type)                 \
  X(PyBaseObject_Type)

// Exceptions: the symbol holds a pointer to the object.
#define STRIDELAB_PYTHON_EXCEPTIONS(X) \
  X(PyExc_AttributeError)              \
  X(PyExc_BufferError)                 \
  X(PyExc_KeyError)                    \
  X(PyExc_TypeError)                   \
  X(PyExc_KeyboardInterrupt)           \
  X(PyExc_MemoryError)                 \
  X(PyExc_RuntimeError)                \
  X(PyExc_ValueError)

// NOLINTBEGIN(bugprone-macro-parentheses,bugprone-reserved-identifier): declarations under CPython's own
// names.
/** The functions and objects of an opened libpython. */
struct Api {
#define STRIDELAB_DECLARE(name, result, parameters) result(*name) parameters = nullptr;
  STRIDELAB_PYTHON_FUNCTIONS(STRIDELAB_DECLARE)
  STRIDELAB_PYTHON_OPTIONAL_FUNCTIONS(STRIDELAB_DECLARE)
#undef STRIDELAB_DECLARE
#define STRIDELAB_DECLARE(name) PyObject* name = nullptr;
  STRIDELAB_PYTHON_OBJECTS(STRIDELAB_DECLARE)
  STRIDELAB_PYTHON_EXCEPTIONS(STRIDELAB_DECLARE)
#undef STRIDELAB_DECLARE
  // NOLINTEND(bugprone-macro-parentheses,bugprone-reserved-identifier)

  /** True if an object's type pointer follows its reference count, as in every ordinary build; set by
   * FindLayout. */
  bool type_follows_count = false;

  /** PyInitConfig of PEP 741, from CPython 3.14 on. */
  bool has_init_config() const { return Py_InitializeFromInitConfig != nullptr; }
};

/** The functions of the loaded libpython. Valid after OpenLibrary has returned. */
extern Api api;

/** Finds where objects store their type. Needs the GIL and a running interpreter. */
void FindLayout();

/** Returns the type, borrowed from the object. */
inline PyObject* BorrowedTypeOf(PyObject* object) {
  if (api.type_follows_count) return reinterpret_cast<PyObject**>(object)[1];
  PyObject* type = api.PyObject_Type(object);
  api.Py_DecRef(type);
  return type;
}

/**
 * Opens `file` permanently, with its symbols visible to extension modules. Returns an empty string on
 * success, otherwise the loader's message or the functions that the file lacks.
 */
std::string OpenLibrary(const std::string& file);

}  // namespace stridelab::python
