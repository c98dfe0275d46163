/** A module that cannot be loaded. */

throw new Error('the plugin needs librmm.so');
export {};
