/** A refusal of the server, and the field that its sentence names, if any. */
export interface Refusal<Field extends string> {
  field: Field | 'form';
  text: string;
}

/**
 * The server answers in the request's language and begins with the name of the field, which has the
 * same name in the form.
 */
export function fieldRefusal<Field extends string>(
  text: string | undefined,
  names: Readonly<Record<Field, string>>,
): Refusal<Field> | undefined {
  if (text === undefined) return undefined;
  for (const field of Object.keys(names) as Field[]) {
    const name = names[field];
    const reason = text.startsWith(name) ? /^[:：]\s*(.+)$/s.exec(text.slice(name.length))?.[1] : undefined;
    if (reason !== undefined) return { field, text: reason };
  }
  return { field: 'form', text };
}
