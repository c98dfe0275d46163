/** The style sheets as text, which webpack inserts. */
declare module 'stridelab-style' {
  const text: string;
  export default text;
}
