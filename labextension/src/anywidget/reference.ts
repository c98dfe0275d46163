/** References to widgets in the state of other widgets: anywidget's form, and that of the widget manager. */

/** Returns the id of the model that a reference names, undefined for all other values. */
export function referencedId(value: unknown): string | undefined {
  return typeof value === 'string' ? /^(?:anywidget:|IPY_MODEL_)(.+)$/.exec(value)?.[1] : undefined;
}
