import { useTranslation } from 'react-i18next';
import { isDynamic, mayCoverMany } from '@/lib/alarm/targets';
import { useFormat } from '@/lib/format/format';
import type { RuleFormState } from './useRuleForm';

/** What is said of what a rule names: how many devices that is, who joins later, and who is left out. Of a single device nothing. */
export function useTargetsHint({ values, model, properties }: RuleFormState): string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  const all = model.data?.deviceCount;
  if (all === undefined || properties === undefined || !mayCoverMany(values.targets)) return undefined;
  const counted =
    all === 0 ? t('rule.form.targets.none') : t('rule.form.targets.count', { count: all, n: format.number(all) });
  const sentences = [counted];
  // Of several attributes that some lack, the one that most lack.
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
