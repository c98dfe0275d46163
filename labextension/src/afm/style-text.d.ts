/** The style sheets as text: webpack puts them here. */
declare module 'stridelab-style' {
  const text: string;
  export default text;
}
