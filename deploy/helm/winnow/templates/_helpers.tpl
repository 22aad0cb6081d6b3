{{/* Labels of one component: (dict "root" $ "component" "proxy"). */}}
{{- define "winnow.selectorLabels" -}}
app.kubernetes.io/name: winnow
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "winnow.labels" -}}
{{ include "winnow.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{- define "winnow.name" -}}
{{ printf "%s-%s" .root.Release.Name .component | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{- define "winnow.image" -}}
{{- $image := .root.Values.image -}}
{{- with $image.registry }}{{ . }}/{{ end }}winnow-{{ .component }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}

{{/* What no container here can do without. */}}
{{- define "winnow.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "winnow.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "winnow.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "winnow.selectorLabels" . | nindent 6 }}
{{- end -}}

{{/* Whether an environment has a variable: one that a release of 0.2 sets under its former name stands in the place of ours. */}}
{{- define "winnow.sets" -}}
{{- $name := .name -}}
{{- range .environment }}{{ if eq .name $name }}true{{ end }}{{ end -}}
{{- end }}
