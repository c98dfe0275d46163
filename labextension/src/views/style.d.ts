/** Labextension/style/index.css, which webpack adds to a notebook's page with the first view; other pages have it from the start. */
declare module 'stridelab-views-style';
