/** Labextension/style/first.css, which webpack adds to a notebook's page with the first view; other pages have it from the start. */
declare module 'stridelab-views-style';
/** Labextension/style/panels.css, which comes likewise with the first tab that needs it; and the sheets of two other such parts. */
declare module 'stridelab-panels-style';
declare module 'stridelab-timeline-style';
declare module 'stridelab-handshake-style';
