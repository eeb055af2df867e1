import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AlarmRule } from '@/lib/alarm/types';
import { useLanguage } from '@/lib/i18n/i18n';
import { devicePropertiesQuery } from '../queries';
import type { Elements } from './sentenceOf';

/**
 * Names and units of a rule's attributes. Those that the catalogue does not know are named by the
 * device's model.
 */
export function useElementsOf(rule: AlarmRule, catalogue: Elements | undefined): Elements | undefined {
  const language = useLanguage((state) => state.language);
  const unknown = catalogue !== undefined && rule.conditions.some(({ tslAttribute }) => !catalogue[tslAttribute]);
  const { data } = useQuery({ ...devicePropertiesQuery(language, rule.executionId), enabled: unknown });
  return useMemo(() => {
    if (!unknown || !data) return catalogue;
    const own = data.map(({ identifier, yeuName, elementUnit }) => [
      identifier,
      { yeuSign: identifier, yeuName, yeuUrl: '', unit: elementUnit },
    ]);
    return { ...Object.fromEntries(own), ...catalogue };
  }, [unknown, data, catalogue]);
}
