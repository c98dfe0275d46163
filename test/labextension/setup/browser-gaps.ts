/** What Lumino expects of a browser and jsdom does not have. */

globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent;
