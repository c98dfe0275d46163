/** The module name that models and views carry in `_model_module` and `_view_module`. */
export const MODULE_NAME = 'stridelab';
/** The package's version; the kernel half requires a caret range of it. A test compares it with package.json. */
export const MODULE_VERSION = '0.1.0';
