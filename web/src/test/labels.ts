import { afterAll } from 'vitest';

type Control = HTMLElement & { readonly labels: NodeListOf<HTMLLabelElement> | null };

const controls = [
  HTMLButtonElement,
  HTMLInputElement,
  HTMLMeterElement,
  HTMLOutputElement,
  HTMLProgressElement,
  HTMLSelectElement,
  HTMLTextAreaElement,
] as const;

/** jsdom's internal document, which counts its changes. */
const inner = Object.getOwnPropertySymbols(document).find(({ description }) => description === 'impl') ?? '';
const documentVersion = () => (document as unknown as Record<PropertyKey, { _version?: number }>)[inner]?._version;

let cachedVersion: number | undefined;
let labelsByControl = new Map<Element, HTMLLabelElement[]>();

/** The document's labels by the control that each is for. */
function labelled(): Map<Element, HTMLLabelElement[]> {
  const now = documentVersion();
  if (now === undefined) throw new Error('jsdom counts its changes elsewhere now: update this file');
  if (now === cachedVersion) return labelsByControl;
  cachedVersion = now;
  labelsByControl = new Map();
  for (const label of document.querySelectorAll('label')) {
    // The first element with the id, like jsdom's own search, but without walking the whole
    // document.
    const control = label.htmlFor === '' ? label.control : document.getElementById(label.htmlFor);
    if (control) labelsByControl.set(control, [...(labelsByControl.get(control) ?? []), label]);
  }
  return labelsByControl;
}

/**
 * To find the labels of one control, jsdom visits every element, and for every label it visits
 * every element once more to find its control; queries by role, name or label do this for every
 * control. Here all labels are found at once and cached until the document changes.
 */
const restore = controls.map(({ prototype }) => {
  const own = Object.getOwnPropertyDescriptor(prototype, 'labels');
  if (!own?.get) throw new Error('a control without labels');
  Object.defineProperty(prototype, 'labels', {
    ...own,
    get(this: Control) {
      return this.getRootNode() === document && this.getAttribute('type') !== 'hidden'
        ? (labelled().get(this) ?? [])
        : own.get?.call(this);
    },
  });
  return () => Object.defineProperty(prototype, 'labels', own);
});

afterAll(() => {
  for (const one of restore) one();
});
