import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { channelsByIdQuery } from '@/lib/channel/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { elementsQuery, outlookQuery } from '../queries';
import { RuleActions } from './RuleActions';
import css from './RuleList.module.css';
import { RuleRow } from './RuleRow';

interface RuleListProps {
  /** Undefined until they are fetched. */
  rules: AlarmRule[] | undefined;
  /** The rules are those of the previous query; the new ones are loading. */
  waiting: boolean;
}

const skeletons = ['a', 'b', 'c', 'd', 'e', 'f'];

/** The rules of a page. What all of them need is fetched once. */
export function RuleList({ rules = [], waiting }: RuleListProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const signs = useMemo(() => {
    const named = rules.flatMap(({ triggerType, conditions }) => (triggerType === 0 ? conditions : []));
    return [...new Set(named.map(({ tslAttribute }) => tslAttribute))].sort();
  }, [rules]);
  const ids = useMemo(() => rules.filter(({ triggerType }) => triggerType === 0).map(({ id }) => id), [rules]);
  const elements = useQuery(elementsQuery(language, signs));
  const outlooks = useQuery(outlookQuery(ids));
  const named = rules.some(({ passageway }) => passageway.length > 0);
  const channels = useQuery({ ...channelsByIdQuery(), enabled: named });
  const byRule = useMemo(() => new Map(outlooks.data?.map((outlook) => [outlook.id, outlook])), [outlooks.data]);

  if (rules.length === 0) {
    return (
      <Loading>
        <div className={css.list}>
          {skeletons.map((name) => (
            <div key={name} className={`${css.item} ${css.loading}`}>
              <Skeleton height={44} />
            </div>
          ))}
        </div>
      </Loading>
    );
  }
  return (
    <RuleActions>
      <ul className={`${css.list} ${waiting ? css.waiting : ''}`} aria-label={t('rule.list')} aria-busy={waiting}>
        {rules.map((rule) => (
          <li key={rule.id} className={css.item}>
            <RuleRow rule={rule} elements={elements.data} outlook={byRule.get(rule.id)} channels={channels.data} />
          </li>
        ))}
      </ul>
    </RuleActions>
  );
}
