import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { AlarmRule, Outlook } from '@/lib/alarm/types';
import { availableKindsQuery, type Channel, channelsByIdQuery } from '@/lib/channel/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { devicePropertiesQuery, elementsQuery, outlookQuery } from '../queries';
import type { Elements } from './sentenceOf';

/** What the rows of a list say beside the rules themselves; all of them share the calls. */
export interface RuleFacts {
  /** Names and units of a rule's attributes; undefined: not known yet. */
  elementsOf: (rule: AlarmRule) => Elements | undefined;
  outlooks: ReadonlyMap<number, Outlook>;
  channels: ReadonlyMap<number, Channel> | undefined;
  /** Nothing of the first rules will change when calls are answered. It stays so for later ones. */
  ready: boolean;
}

const noRules: AlarmRule[] = [];
const noElements: Elements = {};

/** Nothing more comes of the first call: it was answered, has failed or is not made. */
const isSettled = ({ data, isError, isEnabled }: UseQueryResult) => data !== undefined || isError || !isEnabled;

const signsOf = ({ triggerType, conditions }: AlarmRule) =>
  triggerType === 0 ? conditions.map(({ tslAttribute }) => tslAttribute) : [];

export function useRuleFacts(rules: AlarmRule[] = noRules): RuleFacts {
  const signs = useMemo(() => [...new Set(rules.flatMap(signsOf))].sort(), [rules]);
  const ids = useMemo(() => rules.filter(({ triggerType }) => triggerType === 0).map(({ id }) => id), [rules]);
  const elementsOf = useElements(rules, signs);
  const outlooks = useQuery(outlookQuery(ids));
  const told = rules.some(({ passageway }) => passageway.length > 0);
  const channels = useQuery({ ...channelsByIdQuery(), enabled: told });
  const ways = useQuery({ ...availableKindsQuery(), enabled: told });
  const [ready, setReady] = useState(false);
  const known = [outlooks, channels, ways].every((query) => isSettled(query as UseQueryResult));
  if (!ready && rules.length > 0 && known && rules.every(elementsOf)) setReady(true);
  const byRule = useMemo(() => new Map(outlooks.data?.map((outlook) => [outlook.id, outlook])), [outlooks.data]);
  return { elementsOf, outlooks: byRule, channels: channels.data, ready };
}

/** The names of the catalogue; those that it does not know are named by the model of the rule's device. */
function useElements(rules: readonly AlarmRule[], signs: readonly string[]) {
  const language = useLanguage((state) => state.language);
  const {
    data: catalogue = noElements,
    isError,
    isEnabled,
    isPending,
    isPlaceholderData,
  } = useQuery(elementsQuery(language, signs));
  const failed = isError && catalogue === noElements;
  const settled = !isEnabled || !(isPending || isPlaceholderData) || isError;
  const unnamed = useMemo(() => (rule: AlarmRule) => signsOf(rule).some((sign) => !catalogue[sign]), [catalogue]);
  const devices = useMemo(
    () => (settled && !failed ? [...new Set(rules.filter(unnamed).map(({ executionId }) => executionId))] : []),
    [settled, failed, rules, unnamed],
  );
  const own = useQueries({
    queries: devices.map((deviceName) => devicePropertiesQuery(language, deviceName)),
    combine: useCallback(
      (results: UseQueryResult<Properties>[]) =>
        Object.fromEntries(
          results.map(({ data, isError: lost }, index) => [
            devices[index],
            data ? elementsFrom(data) : lost ? noElements : undefined,
          ]),
        ),
      [devices],
    ),
  });
  return useMemo(() => {
    const found = new Map<string, Elements>();
    return (rule: AlarmRule): Elements | undefined => {
      if (!unnamed(rule)) return catalogue;
      if (!settled) return undefined;
      if (failed) return noElements;
      const { executionId } = rule;
      const known = found.get(executionId);
      const named = own[executionId];
      if (known || !named) return known;
      const all = { ...named, ...catalogue };
      found.set(executionId, all);
      return all;
    };
  }, [unnamed, catalogue, settled, failed, own]);
}

type Properties = Awaited<ReturnType<NonNullable<ReturnType<typeof devicePropertiesQuery>['queryFn']>>>;

const elementsFrom = (properties: Properties): Elements =>
  Object.fromEntries(
    properties.map(({ identifier, yeuName, elementUnit }) => [
      identifier,
      { yeuSign: identifier, yeuName, yeuUrl: '', unit: elementUnit },
    ]),
  );
