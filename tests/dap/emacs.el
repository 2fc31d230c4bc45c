;;; emacs.el --- what emacs.sh does in Emacs: a session of dap-mode, step by step  -*- lexical-binding: t -*-

(require 'package)
(package-initialize)
(load-file "configuration.el")

(defvar stops 0)
(defvar frames 0)
(add-hook 'dap-stopped-hook (lambda (_session) (setq stops (1+ stops))))
(add-hook 'dap-stack-frame-changed-hook (lambda (_session) (setq frames (1+ frames))))

(defun wait-for (what condition)
  "Let messages come until CONDITION holds; WHAT is missing else."
  (let ((end (+ (float-time) 20)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (error "%s does not come" what))
      (accept-process-output nil 0.05))))

(defun check (is want what)
  (unless (equal is want)
    (error "%s is %S, not %S" what is want)))

(defun stop-at (line what move &rest arguments)
  "MOVE with its ARGUMENTS, which leads to LINE."
  (let ((before frames))
    (apply move arguments)
    (wait-for what (lambda () (and (> frames before) (dap--debug-session-active-frame (dap--cur-session)))))
    (check (gethash "line" (dap--debug-session-active-frame (dap--cur-session))) line what)))

(defun value (expression)
  "What EXPRESSION is there, as `dap-eval' asks for it."
  (let (got)
    (cl-letf (((symbol-function 'dap-overlays--display-interactive-eval-result)
               (lambda (result &rest _) (setq got result))))
      (dap-eval expression)
      (wait-for expression (lambda () got)))
    got))

(defun drive ()
  (find-file "scale.py")
  (let ((dap-auto-configure-features nil)
        (configuration (copy-tree (cdr (assoc "tilec: a call of this file" dap-debug-template-configurations)))))
    (goto-char (point-min))
    (forward-line 14)
    (dap-breakpoint-add)
    (plist-put (car (gethash buffer-file-name (dap--get-breakpoints))) :condition "row == 1")
    (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "rows")))
      (stop-at 15 "the breakpoint" #'dap-debug configuration))
    (check (line-number-at-pos) 15 "the line of the cursor")
    (check (value "tl.max(v - mean)") "2." "an expression")
    (unless (string-match-p "fp32 8" (value "v"))
      (error "a tile is no tile: %s" (value "v")))
    (stop-at 8 "the next program" #'dap-next (dap--cur-session))
    (stop-at 15 "one back" #'tilec-step-back)
    (stop-at 14 "two back" #'tilec-step-back)
    (stop-at 8 "the beginning" #'tilec-reverse-continue)
    (dap-breakpoint-delete-all)
    (stop-at 7 "the end" #'dap-continue (dap--cur-session) 1)
    (dap-disconnect (dap--cur-session))
    (wait-for "the end of the session" (lambda () (not (process-live-p (dap--debug-session-proc (dap--cur-session))))))
    (format "passed: %d stops" stops)))

(setq dap-auto-show-output nil
      dap-breakpoints-file (expand-file-name "breakpoints")
      lsp-session-file (expand-file-name "lsp"))
(let ((result (condition-case problem (drive) (error (format "FAILED: %S" problem)))))
  (write-region (concat result "\n") nil "result"))
;;; emacs.el ends here
