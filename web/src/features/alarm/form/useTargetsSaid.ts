import { useTranslation } from 'react-i18next';
import { namesMany, roams } from '@/lib/alarm/targets';
import { useFormat } from '@/lib/format/format';
import type { RuleFormState } from './useRuleForm';

/** What is said of what a rule names: how many devices that is, who joins later, and who is left out. Of a single device nothing. */
export function useTargetsSaid({ values, model, properties }: RuleFormState): string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  const all = model.data?.deviceCount;
  if (all === undefined || properties === undefined || !namesMany(values.targets)) return undefined;
  const counted =
    all === 0 ? t('rule.form.targets.none') : t('rule.form.targets.count', { count: all, n: format.number(all) });
  const said = [counted];
  // Of several attributes that some lack, the one that most lack.
  const lacked =
    values.trigger === 1
      ? []
      : values.conditions.flatMap(({ sign }) => {
          const { deviceCount = all, refused, yeuName } = properties.get(sign) ?? {};
          return refused || deviceCount === all ? [] : [{ lack: all - deviceCount, name: yeuName ?? sign }];
        });
  const [most] = lacked.sort((a, b) => b.lack - a.lack);
  if (most) {
    said.push(t('rule.form.targets.lack', { count: most.lack, n: format.number(most.lack), name: most.name }));
  }
  if (roams(values.targets)) said.push(t('rule.form.targets.later'));
  return said.join(' ');
}
