/** What the module `stridelab` offers to a widget manager; also the whole of the bundle for static pages. */

export { AnyModel, AnyView } from './any-widget.ts';
export { ArrayInspectorModel, ArrayInspectorView } from './array-inspector.ts';
export { MODULE_NAME, MODULE_VERSION } from '../version.ts';
