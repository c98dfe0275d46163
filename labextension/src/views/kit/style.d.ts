/** Sheets of labextension/style, which webpack adds to a notebook's page with the code that needs them; other pages have them from the start. */
declare module 'stridelab-*-style';
