import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { RuleActions } from './RuleActions';
import css from './RuleList.module.css';
import { RuleRow } from './RuleRow';
import type { RuleFacts } from './useRuleFacts';

interface RuleListProps {
  /** Undefined until they are fetched, with what the rows say. */
  rules: AlarmRule[] | undefined;
  facts: RuleFacts;
  /** The rules are those of the previous query; the new ones are loading. */
  waiting: boolean;
}

const skeletons = ['a', 'b', 'c', 'd', 'e', 'f'];

/** The rules of a page. A row appears with the names of its attributes, never with identifiers. */
export function RuleList({ rules = [], facts, waiting }: RuleListProps) {
  const { t } = useTranslation();
  if (rules.length === 0) {
    return (
      <Loading>
        <div className={css.list}>
          {skeletons.map((name) => (
            <SkeletonRow key={name} />
          ))}
        </div>
      </Loading>
    );
  }
  return (
    <RuleActions>
      <ul className={`${css.list} ${waiting ? css.waiting : ''}`} aria-label={t('rule.list')} aria-busy={waiting}>
        {rules.map((rule) => {
          const elements = facts.elementsOf(rule);
          return (
            <li key={rule.id} className={css.item}>
              {elements ? (
                <RuleRow
                  rule={rule}
                  elements={elements}
                  outlook={facts.outlooks.get(rule.id)}
                  channels={facts.channels}
                />
              ) : (
                <Loading>
                  <SkeletonRow />
                </Loading>
              )}
            </li>
          );
        })}
      </ul>
    </RuleActions>
  );
}

function SkeletonRow() {
  return (
    <div className={`${css.item} ${css.loading}`}>
      <Skeleton height={44} />
    </div>
  );
}
