import CaretRightOutlined from '@ant-design/icons/CaretRightOutlined';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { clearingParts, ruleParts } from '@/lib/alarm/sentence';
import type { AlarmRule } from '@/lib/alarm/types';
import { useDeliveryReach } from '@/lib/channel/deliveryReach';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useLanguage } from '@/lib/i18n/i18n';
import { useOffline } from '@/lib/offline/reachability';
import { useMay } from '@/lib/session/useMay';
import { Sentence } from '@/ui/alarm/Sentence';
import { Dialog } from '@/ui/Dialog';
import { DiscardDialog } from '@/ui/DiscardDialog';
import { DraftBar } from '@/ui/DraftBar';
import { SendButton } from '@/ui/form/SendButton';
import { Note } from '@/ui/Note';
import { Rehearsal } from '../rehearsal/Rehearsal';
import { RehearsedDevices } from '../rehearsal/RehearsedDevices';
import type { AlarmSearch } from '../search';
import { RuleFields } from './RuleFields';
import css from './RuleForm.module.css';
import { sentenceOfValues } from './sentenceOfValues';
import { useRuleForm } from './useRuleForm';

export interface RuleFormProps {
  /** The rule as it was when the form opened; null for a new one. */
  rule: AlarmRule | null;
  open: boolean;
  onClose: () => void;
  /** Called when the closing animation has ended. */
  onClosed: () => void;
}

/**
 * Adds or changes a rule: the fields, the rule as a sentence, and its rehearsal. A viewer looks at it,
 * and rehearses what it might be.
 */
export function RuleForm({ rule, open, onClose, onClosed }: RuleFormProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const offline = useOffline();
  const maySave = useMay('operator');
  const language = useLanguage((state) => state.language);
  const form = useRuleForm(rule, onClose);
  const { values, save, draft, refusal } = form;
  const reach = useDeliveryReach(values.channels);
  const reachesNobody = reach !== undefined && reach !== 'out';
  const sentence = sentenceOfValues(values, form.properties);
  return (
    <Dialog
      open={open}
      title={t(!maySave ? 'rule.view' : rule ? 'rule.edit' : 'rule.new')}
      onClose={onClose}
      onClosed={onClosed}
      width={1180}
      footer={
        maySave ? (
          <>
            {isPhone ? null : <Button onClick={onClose}>{t('common.cancel')}</Button>}
            {/* Without a network only one button is shown, which says so for both. */}
            {offline ? null : (
              <Button loading={save.isPending && !save.variables.run} onClick={() => form.submit(false)}>
                {t(reachesNobody ? 'rule.form.saveNobody' : 'common.save')}
              </Button>
            )}
            <SendButton
              htmlType="button"
              icon={<CaretRightOutlined aria-hidden="true" />}
              loading={save.isPending && save.variables.run}
              onClick={() => form.submit(true)}
            >
              {t(reachesNobody ? 'rule.form.runNobody' : 'rule.form.saveRun')}
            </SendButton>
          </>
        ) : (
          <Button onClick={onClose}>{t('common.close')}</Button>
        )
      }
    >
      <div className={css.layout}>
        <div className={css.fields} ref={form.setForm}>
          {maySave ? null : (
            <div className={css.above}>
              <Note tone="info">{t('rule.form.viewer')}</Note>
            </div>
          )}
          {draft.offered && maySave ? (
            <div className={css.above}>
              <DraftBar onRestore={form.restore} onDiscard={draft.discard} />
            </div>
          ) : null}
          {refusal?.field === 'form' ? (
            <div className={css.above} tabIndex={-1}>
              <Note tone="wrong" title={t('rule.saveFail')}>
                {refusal.text}
              </Note>
            </div>
          ) : null}
          <RuleFields form={form} />
        </div>
        <aside className={css.aside} aria-label={t('rule.form.say')}>
          <div className={css.sticky}>
            <h3 className={css.head}>{t('rule.form.say')}</h3>
            <p className={css.say} aria-live="polite">
              <Sentence parts={ruleParts(sentence, 'full', language)} />
            </p>
            <p className={css.clears}>
              <Sentence parts={clearingParts(sentence, language)} />
            </p>
            <Rehearsal form={form} />
          </div>
        </aside>
        <RehearsedDevices form={form} />
      </div>
      <DiscardDialog
        when={open && form.dirty && maySave}
        saved={form.saved}
        isSameForm={({ pathname, search }) =>
          pathname === '/alarm' && (search as AlarmSearch).rule === (rule?.id ?? 'new')
        }
      />
    </Dialog>
  );
}
