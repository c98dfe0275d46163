/** The module name that models and views carry in `_model_module` and `_view_module`. */
export const MODULE_NAME = 'stridelab';
/** The version in package.json, which the build defines. */
declare const STRIDELAB_VERSION: string;
/** The package's version; the kernel half requires a caret range of it. */
export const MODULE_VERSION = STRIDELAB_VERSION;

/** Returns the part of a model's defaults by which the widget manager finds the classes `NAMEModel` and `NAMEView`. */
export const namesOf = (name: string) => ({
  _model_module: MODULE_NAME,
  _model_module_version: MODULE_VERSION,
  _model_name: `${name}Model`,
  _view_module: MODULE_NAME,
  _view_module_version: MODULE_VERSION,
  _view_name: `${name}View`,
  // The base view reads the description's length as soon as a tooltip is set.
  description: ''
});
