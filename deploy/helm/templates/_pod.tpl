{{/* Labels that select the pods. */}}
{{ define "selector" -}}
app.kubernetes.io/name: toolcrib
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{ define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{ define "image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* Refuses values that would start, but not as they read. */}}
{{ define "checks" -}}
{{- if not (has .Values.database (list "sqlite" "postgresql")) }}
{{- fail "`database` is sqlite or postgresql" }}
{{- end }}
{{- if gt (int .Values.replicas) 1 }}
{{- if eq .Values.database "sqlite" }}
{{- fail "SQLite has one replica: set `database: postgresql`, or `replicas: 1`" }}
{{- end }}
{{- if not (has "redis" .Values.secret.settings) }}
{{- fail "replicas share limits and grants through Redis: put TOOLCRIB_REDIS into the Secret, and `redis` into `secret.settings`" }}
{{- end }}
{{- end }}
{{- $secrets := list "database" "audit_database" "worker_database" "owner_database" "metrics_token" "console_client_secret" "secret_key" "audit_key" "redis" "prometheus_token" "loki_token" "alertmanager_token" "alertmanager_webhook_token" "railway_token" "assistant_key" }}
{{- range $key, $value := .Values.settings }}
{{- if has $key $secrets }}
{{- fail (printf "`settings.%s` is a secret: put %s into the Secret, and `%s` into `secret.settings`" $key (printf "TOOLCRIB_%s" (upper $key)) $key) }}
{{- end }}
{{- if has $key (list "bind" "metrics_bind" "data_dir") }}
{{- fail (printf "the chart sets `%s` itself" $key) }}
{{- end }}
{{- if regexMatch "://[^/]*@" (toString $value) }}
{{- fail (printf "`settings.%s` has a login in its URL: put %s into the Secret, and `%s` into `secret.settings`" $key (printf "TOOLCRIB_%s" (upper $key)) $key) }}
{{- end }}
{{- end }}
{{- if has "owner_database" .Values.secret.settings }}
{{- fail "what serves never gets the owner's login: put it into `ownerSecret`" }}
{{- end }}
{{- end }}

{{/* Variables of what serves and of what migrates. The data directory is below the volume, whose own folder belongs to root and is open
     to the group. */}}
{{ define "settings" -}}
- name: TOOLCRIB_BIND
  value: "0.0.0.0:8787"
- name: TOOLCRIB_METRICS_BIND
  value: "0.0.0.0:8788"
- name: TOOLCRIB_DATA_DIR
  value: /data/toolcrib
{{- if and .Values.ingress.host (not .Values.settings.public_url) }}
- name: TOOLCRIB_PUBLIC_URL
  value: "https://{{ .Values.ingress.host }}"
{{- end }}
{{- range $key, $value := .Values.settings }}
- name: TOOLCRIB_{{ upper $key }}
  {{- if kindIs "slice" $value }}
  value: {{ join "," $value | quote }}
  {{- else if kindIs "float64" $value }}
  value: {{ int64 $value | quote }}
  {{- else }}
  value: {{ $value | quote }}
  {{- end }}
{{- end }}
{{- $needed := list }}
{{- if eq .Values.database "postgresql" }}
{{- $needed = list "database" "audit_database" "worker_database" "secret_key" "audit_key" }}
{{- end }}
{{- range uniq (concat $needed .Values.secret.settings) }}
- name: TOOLCRIB_{{ upper . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.secret.name }}
      key: TOOLCRIB_{{ upper . }}
{{- end }}
{{- end }}

{{/* What both pods have. The service links of a Service called `toolcrib` would be variables TOOLCRIB_…, which the program refuses
     as unknown settings. */}}
{{ define "pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{ define "container" -}}
{{ include "image" . }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- end }}
