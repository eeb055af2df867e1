import { useTranslation } from 'react-i18next';
import { isDynamic, mayCoverMany } from '@/lib/alarm/targets';
import { useFormat } from '@/lib/format/format';
import type { RuleFormState } from './useRuleForm';

/**
 * A hint about a rule's targets: how many devices they are, that later devices join, and how many
 * are left out. Undefined for a single device.
 */
export function useTargetsHint({ values, model, properties }: RuleFormState): string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  const all = model.data?.deviceCount;
  if (all === undefined || properties === undefined || !mayCoverMany(values.targets)) return undefined;
  const counted =
    all === 0 ? t('rule.form.targets.none') : t('rule.form.targets.count', { count: all, n: format.number(all) });
  const sentences = [counted];
  // If devices lack several attributes, the hint names the one that most of them lack.
  const missingCounts =
    values.trigger === 1
      ? []
      : values.conditions.flatMap(({ sign }) => {
          const { deviceCount = all, refused, yeuName } = properties.get(sign) ?? {};
          return refused || deviceCount === all ? [] : [{ lack: all - deviceCount, name: yeuName ?? sign }];
        });
  const [most] = missingCounts.sort((a, b) => b.lack - a.lack);
  if (most) {
    sentences.push(t('rule.form.targets.lack', { count: most.lack, n: format.number(most.lack), name: most.name }));
  }
  if (isDynamic(values.targets)) sentences.push(t('rule.form.targets.later'));
  return sentences.join(' ');
}
