/** Labextension/style/arrays.css, which webpack adds to the page with the code that imports it. */
declare module 'stridelab-arrays-style';
