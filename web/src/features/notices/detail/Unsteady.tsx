import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { Note } from '@/ui/Note';
import { type AlarmDetail, adviceQuery } from '../queries';

/**
 * Why a notice stays open although its condition keeps changing, and what would keep the rule from
 * opening so many notices.
 */
export function Unsteady({ detail }: { detail: AlarmDetail }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { id, changes = 0, resolveStatus } = detail.alarmNotice;
  const offline = detail.alarmRules.triggerType === 1;
  const { data: advice } = useQuery({ ...adviceQuery(id), enabled: !offline });
  const condition = advice
    ? detail.alarmRules.conditions.find(({ tslAttribute }) => tslAttribute === advice.tslAttribute)
    : undefined;
  const words = [
    t(offline ? 'inform.unsteady.device' : 'inform.unsteady.readings'),
    resolveStatus === 0 ? t(offline ? 'inform.unsteady.untilDevice' : 'inform.unsteady.untilReadings') : '',
    changes > 0 ? t('inform.unsteady.changes', { count: changes, n: format.number(changes) }) : '',
    advice && condition
      ? t('inform.unsteady.recovery', {
          count: advice.notices,
          n: format.number(advice.notices),
          without: format.number(advice.without),
          name: condition.yeuName || condition.tslAttribute,
          value: format.reading({
            value: advice.recovery,
            unit: condition.elementUnit,
            precision: condition.precision,
          }),
        })
      : '',
    t(offline ? 'inform.unsteady.adviceDevice' : 'inform.unsteady.advice'),
  ];
  return (
    <Note tone="warn" title={t('inform.unsteady.title')}>
      {format.sentences(words)}
    </Note>
  );
}
