import { type FormEvent, useRef, useState } from 'react';

export type Errors<V, E> = Partial<Record<keyof V, E>>;

interface FormOptions<V, E> {
  values: V;
  /** Everything that is wrong, in the order of the fields: names of sentences, so that they follow the language. */
  check: (values: V) => Errors<V, E>;
  busy: boolean;
  onSubmit: (values: V) => void;
}

/** What a field needs to say what is wrong with it. */
export interface FieldState<E> {
  error: E | undefined;
  ref: (element: { focus: () => void } | null) => void;
  onBlur: () => void;
  /** As onBlur, for a field whose emptiness is told as soon as it was left. */
  leave: () => void;
}

/** Says what is wrong once a field was left or the form was sent; the first wrong field then takes the keyboard. */
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
      // An empty field that somebody only passed through is no mistake yet. What a try to send marked meanwhile stays.
      if (values[name] !== '') setLeft((before) => new Set([...before, name]));
    },
  });

  /** Whether a field is right; if not, says so there. */
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
    /** Goes to a field that is to be filled in now: what was missing there is no mistake any more. */
    focus: (name: keyof V) => {
      setLeft((before) => new Set([...before].filter((other) => other !== name)));
      fields.current.get(name)?.focus();
    },
    forget: () => setLeft(new Set()),
  };
}
