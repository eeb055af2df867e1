import { type FormEvent, useRef, useState } from 'react';

export type Errors<V, E> = Partial<Record<keyof V, E>>;

interface FormOptions<V, E> {
  values: V;
  /** All problems, in the order of the fields: text keys, so that the texts follow the language. */
  check: (values: V) => Errors<V, E>;
  busy: boolean;
  onSubmit: (values: V) => void;
}

/** What a field needs to show its problem. */
export interface FieldState<E> {
  error: E | undefined;
  ref: (element: { focus: () => void } | null) => void;
  onBlur: () => void;
  /** As onBlur, for a field that reports being empty as soon as it is left. */
  leave: () => void;
}

/**
 * Shows a problem once the user left the field or submitted the form; then the first invalid field
 * takes the focus.
 */
export function useForm<V extends object, E>({ values, check, busy, onSubmit }: FormOptions<V, E>) {
  const [left, setLeft] = useState<ReadonlySet<keyof V>>(new Set());
  const fields = useRef(new Map<keyof V, { focus: () => void }>());
  const errors = check(values);

  const field = (name: keyof V): FieldState<E> => ({
    error: left.has(name) ? errors[name] : undefined,
    ref: (element) => {
      if (element) fields.current.set(name, element);
      else fields.current.delete(name);
    },
    leave: () => setLeft((before) => new Set([...before, name])),
    onBlur: () => {
      // An empty field that the user only passed through is no error yet. Marks from an attempt to
      // submit meanwhile stay.
      if (values[name] !== '') setLeft((before) => new Set([...before, name]));
    },
  });

  /** Whether a field is valid; if not, shows the problem there. */
  const demand = (name: keyof V): boolean => {
    setLeft((before) => new Set([...before, name]));
    if (errors[name] === undefined) return true;
    fields.current.get(name)?.focus();
    return false;
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const wrong = Object.keys(errors) as (keyof V)[];
    setLeft(new Set(Object.keys(values) as (keyof V)[]));
    if (wrong[0] !== undefined) fields.current.get(wrong[0])?.focus();
    else onSubmit(values);
  };

  return {
    field,
    demand,
    submit,
    /** Focuses a field that is to be filled in now: its problem is hidden again. */
    focus: (name: keyof V) => {
      setLeft((before) => new Set([...before].filter((other) => other !== name)));
      fields.current.get(name)?.focus();
    },
    forget: () => setLeft(new Set()),
  };
}
