import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { now } from '@/lib/format/clock';
import { useLanguage } from '@/lib/i18n/i18n';
import { attributesOf, colorsFor, firstSelection, isDrawn, mainFirst } from './attributes';
import type { Comparison } from './compare';
import type { HistoryDevice } from './device';
import { tslQuery } from './queries';
import { type Shortcut, type Span, spanOf } from './range';

/** The user's choices and what follows from them. */
export function useHistoryState({ deviceName, mainSign }: HistoryDevice) {
  const language = useLanguage((state) => state.language);
  const tsl = useQuery(tslQuery(language, deviceName));
  const attributes = useMemo(() => mainFirst(attributesOf(tsl.data?.propertie ?? []), mainSign), [tsl.data, mainSign]);

  const [range, setRange] = useState<{ span: Span | null; shortcut: Shortcut | null }>(() => ({
    span: spanOf('week', Math.floor(now())),
    shortcut: 'week',
  }));
  // The last valid range, which is shown while the field has none.
  const [asked, setAsked] = useState<Span>(range.span as Span);
  const chooseRange = useCallback((span: Span | null, shortcut: Shortcut | null) => {
    setRange({ span, shortcut });
    if (span) setAsked(span);
  }, []);

  const [choice, setChoice] = useState<readonly string[] | null>(null);
  const selected = useMemo(() => choice ?? firstSelection(attributes, mainSign), [choice, attributes, mainSign]);
  // Once shown, an attribute stays in the query for the same range, so showing it again needs no
  // request.
  const [touched, setTouched] = useState<{ span: Span; ids: ReadonlySet<string> }>({ span: asked, ids: new Set() });
  if (touched.span !== asked) setTouched({ span: asked, ids: new Set() });
  const toggle = useCallback(
    (id: string) => {
      const next = selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id];
      setChoice(attributes.map((attribute) => attribute.id).filter((other) => next.includes(other)));
      setTouched(({ span, ids }) => ({ span, ids: new Set([...ids, ...selected]) }));
    },
    [selected, attributes],
  );

  const shown = useMemo(() => attributes.filter(({ id }) => selected.includes(id)), [attributes, selected]);
  const wanted = useMemo(
    () => attributes.filter(({ id }) => selected.includes(id) || (selected.length > 0 && touched.ids.has(id))),
    [attributes, selected, touched],
  );

  const [colors, setColors] = useState<ReadonlyMap<string, number>>(new Map());
  const drawn = shown.filter(isDrawn).map(({ id }) => id);
  const next = colorsFor(colors, drawn);
  if (drawn.some((id) => next.get(id) !== colors.get(id))) setColors(next);

  const [raw, setRaw] = useState(false);
  // When the first corrected reading was of those that were shown so far.
  const [corrected, setCorrected] = useState(Number.POSITIVE_INFINITY);
  const noteCorrected = useCallback((time: number) => setCorrected((before) => Math.min(before, time)), []);

  const [comparison, setComparison] = useState<Comparison>({ with: 'nothing' });
  return {
    language,
    tsl,
    attributes,
    range,
    asked,
    chooseRange,
    selected,
    shown,
    wanted,
    toggle,
    colors: next,
    /** Numbers as they arrived are shown. */
    raw,
    setRaw,
    /** The range has corrected readings, as far as is known. */
    hasCorrected: raw || corrected <= asked.to,
    noteCorrected,
    comparison,
    setComparison,
  };
}
