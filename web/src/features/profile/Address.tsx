/** An address that is too long for its line wraps after its @ rather than within a word. */
export function Address({ of }: { of: string }) {
  const at = of.indexOf('@') + 1;
  return (
    <>
      {of.slice(0, at)}
      <wbr />
      {of.slice(at)}
    </>
  );
}
