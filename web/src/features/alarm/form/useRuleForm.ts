import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { targetCount } from '@/lib/alarm/targets';
import type { AlarmRule } from '@/lib/alarm/types';
import { toast } from '@/lib/feedback/feedback';
import { ApiError, api } from '@/lib/http/api';
import { errorText, showError } from '@/lib/http/errorText';
import { isNoAnswer } from '@/lib/http/http';
import { useLanguage } from '@/lib/i18n/i18n';
import { useDraft } from '@/lib/storage/useDraft';
import { refetchRules, targetAttributesQuery } from '../queries';
import { attributesOf } from './attributes';
import { type Refusal, refusalOf } from './refusal';
import { checkRule, isValid, type RuleField } from './rules';
import { newValues, type RuleValues, ruleBody, valuesOf } from './values';

const textOf = ({ conditions, ...rest }: RuleValues) =>
  JSON.stringify([rest, conditions.map(({ key: _, ...condition }) => condition)]);

/** The state and the actions of a rule's form; `rule` is null for a new one. */
export function useRuleForm(rule: AlarmRule | null, onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const language = useLanguage((state) => state.language);
  const [before] = useState(() => (rule ? valuesOf(rule, language) : newValues()));
  const [values, setValues] = useState(before);
  const [leftFields, setLeftFields] = useState<ReadonlySet<RuleField>>(new Set());
  /**
   * How often the user tried to save an invalid form. From the first time on all problems are
   * shown, and the first one takes the focus.
   */
  const [tries, setTries] = useState(0);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  /** Somebody deleted the rule while it was being edited: saving creates it anew. */
  const [isDeleted, setIsDeleted] = useState(false);
  /** Everything is saved. A ref, since it must be known before the next render. */
  const saved = useRef(false);
  const dirty = textOf(values) !== textOf(before);
  const draft = useDraft<RuleValues>(`alarm-rule-${rule?.id ?? 'new'}`, dirty ? values : null);

  const some = targetCount(values.targets) > 0;
  const model = useQuery({ ...targetAttributesQuery(language, values.targets), enabled: some });
  const properties = useMemo(() => (some && model.data ? attributesOf(model.data) : undefined), [some, model.data]);
  const findings = checkRule(values, properties);

  const save = useMutation({
    mutationFn: async ({ run }: { run: boolean }) => {
      const body = ruleBody(values, properties ?? new Map());
      const path = '/admin-api/client/pc/alarm-rules';
      const known = isDeleted ? null : rule;
      const id = known ? known.id : await api.post(`${path}/create`, { body });
      if (known) await api.put(`${path}/update`, { body: { id, ...body } });
      if (!run) return;
      // The rule is saved at this point. A failure to run it is a separate error, which its row
      // shows too.
      await api
        .get(`${path}/publish`, { query: { alarmRulesId: id } })
        .catch((error: unknown) => showError(error, { failure: 'rule.runFail' }));
    },
    // If the rule no longer exists, the form itself shows it.
    meta: { failure: 'rule.saveFail', shows: [404] },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 404) {
        setIsDeleted(true);
        setRefusal({ field: 'form', text: t('rule.form.goneMeanwhile') });
      } else if (isNoAnswer(error) && (!rule || isDeleted)) {
        // The rule may have been created, and a second attempt would create another.
        setRefusal({ field: 'form', text: t('common.perhapsSaved', { error: errorText(error) }) });
        void refetchRules(client);
      } else setRefusal(refusalOf(error, values.channels, t));
    },
    onSuccess: async () => {
      saved.current = true;
      draft.clear();
      await refetchRules(client);
      toast.success(t('rule.saveOk'));
    },
  });

  // After an invalid attempt or a refusal by the server, the first wrong field takes the focus.
  const [form, setForm] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (!form || (tries === 0 && refusal === null)) return;
    const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong="true"]');
    const field = wrong?.matches('[role="radiogroup"], [role="listbox"], [role="toolbar"]')
      ? wrong.querySelector<HTMLElement>('input, [tabindex="0"]')
      : wrong;
    (field ?? form.querySelector<HTMLElement>('[role="alert"]'))?.focus();
    field?.scrollIntoView?.({ block: 'nearest' });
  }, [form, tries, refusal]);

  return {
    values,
    dirty,
    draft,
    model,
    properties,
    findings,
    refusal,
    save,
    saved,
    setForm,
    change: (part: Partial<RuleValues>) => {
      setValues((now) => ({ ...now, ...part }));
      setRefusal(null);
    },
    restore: () => {
      const taken = draft.take();
      // The draft of an older version has a single device instead of targets.
      if (taken) setValues((now) => ({ ...now, ...taken, targets: taken.targets ?? now.targets }));
    },
    leave: (field: RuleField) => setLeftFields((now) => new Set([...now, field])),
    /** Whether a field's problem is shown: the user has left the field or has tried to save. */
    showsProblem: (field: RuleField) => tries > 0 || leftFields.has(field),
    showsAllProblems: tries > 0,
    submit: (run: boolean) => {
      if (save.isPending) return;
      if (isValid(findings)) save.mutate({ run }, { onSuccess: onDone });
      else setTries((now) => now + 1);
    },
  };
}

export type RuleFormState = ReturnType<typeof useRuleForm>;
