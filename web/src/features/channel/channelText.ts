import { useTranslation } from 'react-i18next';
import { kindsOf, recipientsByKind } from '@/lib/channel/kinds';
import type { Channel } from '@/lib/channel/queries';
import { useFormat } from '@/lib/format/format';

type RuleUsage = Pick<Channel, 'ruleCount' | 'ruleNames'>;

/** Texts for how many recipients a channel has and which rules use it. */
export function useChannelText() {
  const { t } = useTranslation();
  const format = useFormat();
  const number = (count: number) => ({ count, n: format.number(count) });

  return {
    /** For example "3 addresses, 2 numbers". */
    recipients: (channel: Channel) => {
      const recipients = recipientsByKind(channel);
      return format.list(
        kindsOf(channel).map((mode) => t(`channel.recipients.${mode}`, number(recipients[mode].length))),
      );
    },
    /** For example "3 rules", or that there are none; `within`: the text follows other words. */
    rules: ({ ruleCount }: RuleUsage, within = false) => {
      if (ruleCount > 0) return t('channel.rules', number(ruleCount));
      return t(within ? 'channel.noRuleWithin' : 'channel.noRule');
    },
    /** For example "Used by 3 rules: Spring frost, Row 12 too dry and 1 more". */
    usedBy: ({ ruleCount, ruleNames }: RuleUsage) => {
      if (ruleCount === 0) return t('channel.unused');
      const others = ruleCount - ruleNames.length;
      const names = format.list(ruleNames);
      const list = others > 0 ? t('channel.namesAnd', { names, ...number(others) }) : names;
      return t('channel.usedBy', { ...number(ruleCount), names: list });
    },
  };
}
