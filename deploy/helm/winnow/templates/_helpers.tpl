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

{{/* TLS: the certificate's files, by the prefix of a service's variables: (dict "root" $ "prefix" "PROXY"). */}}
{{- define "winnow.tlsVariables" -}}
{{- if .root.Values.tls.secretName }}
- { name: {{ .prefix }}_SERVER_TLS_FOLDER, value: /etc/winnow-tls }
{{- if ne .prefix "REGISTRY" }}
- { name: {{ .prefix }}_CLIENT_TLS_FOLDER, value: /etc/winnow-tls }
{{- end }}
{{- end }}
{{- end -}}

{{- define "winnow.tlsMount" -}}
{{- if .Values.tls.secretName }}
- { name: tls, mountPath: /etc/winnow-tls, readOnly: true }
{{- end }}
{{- end -}}

{{- define "winnow.tlsVolume" -}}
{{- with .Values.tls.secretName }}
- name: tls
  secret: { secretName: {{ . }} }
{{- end }}
{{- end -}}

{{/* A probe of a path: (dict "root" $ "path" "/readyz"). The kubelet does not check the certificate. */}}
{{- define "winnow.probe" -}}
httpGet: { path: {{ .path }}, port: http{{ if .root.Values.tls.secretName }}, scheme: HTTPS{{ end }} }
{{- end -}}

{{- define "winnow.scheme" -}}
{{ ternary "https" "http" (ne .Values.tls.secretName "") }}
{{- end -}}
