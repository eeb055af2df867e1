import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { namedQuery, tslQuery } from '@/lib/device/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { type AnalysisSearch, namesOf } from '../search';
import { allAttributes, firstSigns, type SoilMarks, soilMarksOf } from './attributes';
import type { Span } from './line';
import { type Drawn, drawnOf, type Plan, planOf, type Source } from './plan';
import { linesQuery } from './queries';
import { spanOf } from './span';

interface Options {
  /** The end of ranges up to now. */
  now: number;
  points: number;
  rain: boolean;
}

/** Everything that the address names: its devices, their properties and their lines. */
export function useAnalysis(search: AnalysisSearch, { now, points, rain }: Options) {
  const language = useLanguage((state) => state.language);
  const names = useMemo(() => namesOf(search.devices), [search.devices]);
  const devices = useQuery({
    ...namedQuery(language, names),
    enabled: names.length > 0,
    placeholderData: keepPreviousData,
  });
  // In the order of the address, which gives them their colours.
  const found = useMemo(
    () => names.flatMap((name) => devices.data?.list.find(({ deviceName }) => deviceName === name) ?? []),
    [names, devices.data],
  );
  const models = useQueries({
    queries: found.map(({ deviceName }) => tslQuery(language, deviceName)),
    combine: (results) => ({
      list: results.map(({ data }) => data?.propertie),
      ready: results.every(({ data }) => data !== undefined),
      error: results.find(({ error }) => error)?.error ?? null,
      refetch: () => results.map((result) => result.refetch()),
    }),
  });
  // Whether the devices that are found are those of the address, not of the one before.
  const looked = devices.data !== undefined && !devices.isPlaceholderData;
  const { ready, list } = models;
  const sources = useMemo<Source[]>(
    () =>
      ready
        ? found.flatMap((device, index) => {
            const color = names.indexOf(device.deviceName);
            return list[index] ? [{ device, color, model: list[index] }] : [];
          })
        : [],
    [found, ready, list, names],
  );
  const attributes = useMemo(() => allAttributes(sources.map(({ model }) => model)), [sources]);
  const chosen = useMemo(() => namesOf(search.signs), [search.signs]);
  const signs = useMemo(
    () =>
      search.signs === undefined
        ? firstSigns(attributes, sources[0]?.device.mainSign)
        : chosen.filter((sign) => attributes.some((attribute) => attribute.sign === sign)),
    [search.signs, chosen, attributes, sources],
  );
  // Only what decides the calls: switching a layer leaves the plan, and what is drawn, as they are.
  const { range, from, to, by, compare, since, base } = search;
  const plan = useMemo<Plan>(() => {
    const span = spanOf({ range, from, to }, now);
    return planOf({ sources, signs, search: { by, compare, since, base }, span, points, rain });
  }, [sources, signs, range, from, to, by, compare, since, base, now, points, rain]);
  const lines = useQuery({ ...linesQuery(plan.asks), enabled: plan.asks.length > 0 });
  const marksOf = useCallback(
    (sign: string): SoilMarks | undefined =>
      sources.map(({ model }) => soilMarksOf(model, sign)).find((marks) => marks !== undefined),
    [sources],
  );
  // What is drawn stays until all of the next choice has come.
  const kept = useRef<Drawn>(undefined);
  const answers = lines.isPlaceholderData ? undefined : lines.data;
  const drawn = useMemo(() => {
    if (looked && ready && names.length > 0 && plan.asks.length === 0) return nothingOver(plan.span);
    return answers ? drawnOf(plan, sources, answers) : undefined;
  }, [looked, ready, names.length, answers, plan, sources]);
  if (drawn) kept.current = drawn.columns.length > 0 ? drawn : undefined;
  return {
    names,
    sources,
    missing: looked ? names.filter((name) => !found.some((d) => d.deviceName === name)) : [],
    attributes,
    signs,
    plan,
    drawn: drawn ?? (shares(kept.current, names) ? kept.current : undefined),
    marksOf,
    isFetching: devices.isFetching || lines.isFetching,
    error: devices.error ?? models.error ?? lines.error,
    refetch: () => {
      if (devices.error) void devices.refetch();
      if (models.error) models.refetch();
      if (lines.error) void lines.refetch();
    },
  };
}

const nothingOver = (span: Span): Drawn => ({ columns: [], rain: null, season: null, span });

/** Whether something drawn is of one of the devices. */
const shares = (drawn: Drawn | undefined, names: readonly string[]) =>
  drawn?.columns.some(({ deviceName }) => names.includes(deviceName)) ?? false;

export type Analysis = ReturnType<typeof useAnalysis>;
