module trireme/test/clients/kubectl

go 1.24.0
